import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from '@anthropic-ai/sdk-0'
import type { Sdk } from '../sdk.ts'
import { anthropicFacts, connectAnthropic } from './anthropic-like.ts'

const classes: Readonly<Record<number, ReturnType<Sdk['errorClass']>>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  429: RateLimitError,
}

/** The older version, which sends the key in `x-api-key`. */
export const anthropic0: Sdk = {
  ...anthropicFacts,
  name: '@anthropic-ai/sdk 0.x',
  connect: (url, key) =>
    connectAnthropic(new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 })),
  errorClass: (status) => classes[status] ?? InternalServerError,
  readError: (error) => {
    if (!(error instanceof APIError)) throw new Error('not an error of the SDK', { cause: error })
    const { status, message, requestID } = error
    return { status, message, requestId: requestID ?? '' }
  },
}
