import type {
  AnswerOf,
  ConsoleErrorCode,
  ErrorAnswer,
  Operations,
} from '../../../src/console-api/contract.ts'
import { loadLazyTexts } from '../i18n/start-i18n.ts'
import { type CallInput, requestOf } from './request-of.ts'

/** A refusal of the back end; `unreachable` without a response, `other_answer` if another server responded. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ConsoleErrorCode | 'unreachable' | 'other_answer'
  readonly status: number
  readonly requestId: string | undefined
  /** The field of a form that is wrong. */
  readonly field: string | undefined
  /** The exact problem as a code, with the values of its text. */
  readonly detail: string | undefined
  readonly values: Readonly<Record<string, string | number>>

  constructor(
    status: number,
    code: ApiError['code'],
    message: string,
    error: Partial<ErrorAnswer['error']> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = error.requestId
    this.field = error.field
    this.detail = error.detail
    this.values = error.values ?? {}
  }
}

/** Operations that respond with JSON. */
type JsonName = {
  [Name in keyof Operations]: Operations[Name]['answer'] extends null ? never : Name
}[keyof Operations]

/** Calls the back end. The operation name determines the types of input and response. */
export function call<Name extends JsonName>(
  name: Name,
  input: CallInput<Name>,
): Promise<AnswerOf<Name>> {
  const { address, init } = requestOf(name, input)
  return send<AnswerOf<Name>>(address, init)
}

/** URL of a file that the browser downloads. */
export function fileUrl<Name extends 'GET /usage/export'>(
  name: Name,
  input: CallInput<Name>,
): string {
  return requestOf(name, input).address
}

/** A file that the gateway gives only to a POST request, which leaves a row in the audit log. */
export async function fetchFile<Name extends 'POST /accounts/{id}/recordings/export'>(
  name: Name,
  input: CallInput<Name>,
): Promise<Blob> {
  const { address, init } = requestOf(name, input)
  const response = await open(address, init)
  if (!response.ok) throw await refusalOf(response)
  return response.blob().catch(() => {
    throw unreachable()
  })
}

async function send<Answer>(address: string, init: RequestInit): Promise<Answer> {
  const response = await open(address, init)
  if (!response.ok) throw await refusalOf(response)
  return (await response.json().catch(() => undefined)) as Answer
}

async function open(address: string, init: RequestInit): Promise<Response> {
  return fetch(address, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    throw unreachable()
  })
}

function unreachable(): ApiError {
  return new ApiError(0, 'unreachable', 'The gateway does not answer.')
}

async function refusalOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined)
  const error = isErrorAnswer(body) ? body.error : undefined
  await loadLazyTexts()
  const message = error?.message ?? `The gateway answered ${response.status}.`
  return new ApiError(response.status, error?.code ?? 'other_answer', message, error)
}

function isErrorAnswer(body: unknown): body is ErrorAnswer {
  return typeof body === 'object' && body !== null && 'error' in body
}
