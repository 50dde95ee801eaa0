import {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai'
import type { Sdk } from '../sdk.ts'

const classes: Readonly<Record<number, ReturnType<Sdk['errorClass']>>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  429: RateLimitError,
}

/** The errors of both of OpenAI's protocols. */
export const openaiErrors: Pick<Sdk, 'errorClass' | 'readError'> = {
  errorClass: (status) => classes[status] ?? InternalServerError,
  readError: (error) => {
    if (!(error instanceof APIError)) throw new Error('not an error of the SDK', { cause: error })
    const { status, message, requestID } = error
    return { status, message, requestId: requestID ?? '' }
  },
}
