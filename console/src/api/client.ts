import type {
  AnswerOf,
  ConsoleErrorCode,
  ErrorAnswer,
  Operations,
} from '../../../src/console-api/contract.ts'
import { needLateWords } from '../i18n/start-i18n.ts'
import { type Asked, requestOf } from './request-of.ts'

/** What the back end refused; `unreachable` when there was no answer at all, `other_answer` when it is not the console's. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ConsoleErrorCode | 'unreachable' | 'other_answer'
  readonly status: number
  readonly requestId: string | undefined
  /** The field of a form that is wrong. */
  readonly field: string | undefined
  /** What exactly is wrong, as a code with what fills its words. */
  readonly detail: string | undefined
  readonly values: Readonly<Record<string, string | number>>

  constructor(
    status: number,
    code: ApiError['code'],
    message: string,
    told: Partial<ErrorAnswer['error']> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = told.requestId
    this.field = told.field
    this.detail = told.detail
    this.values = told.values ?? {}
  }
}

/** Those that answer with JSON. */
type JsonName = {
  [Name in keyof Operations]: Operations[Name]['answer'] extends null ? never : Name
}[keyof Operations]

/** Asks the back end. The compiler knows from the name of the operation what it takes and what it answers. */
export function call<Name extends JsonName>(
  name: Name,
  asked: Asked<Name>,
): Promise<AnswerOf<Name>> {
  const { address, init } = requestOf(name, asked)
  return send<AnswerOf<Name>>(address, init)
}

/** For what the browser fetches by itself, such as a file. */
export function fileUrl<Name extends 'GET /usage/export'>(name: Name, asked: Asked<Name>): string {
  return requestOf(name, asked).address
}

async function send<Answer>(address: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(address, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    throw new ApiError(0, 'unreachable', 'The gateway does not answer.')
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body as Answer
  const told = isErrorAnswer(body) ? body.error : undefined
  await needLateWords()
  const message = told?.message ?? `The gateway answered ${response.status}.`
  throw new ApiError(response.status, told?.code ?? 'other_answer', message, told)
}

function isErrorAnswer(body: unknown): body is ErrorAnswer {
  return typeof body === 'object' && body !== null && 'error' in body
}
