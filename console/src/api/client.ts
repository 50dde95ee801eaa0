import {
  type AnswerOf,
  type BodyOf,
  type ConsoleErrorCode,
  csrfHeader,
  csrfValue,
  type ErrorAnswer,
  type Operations,
  type ParamsOf,
  type QueryOf,
} from '../../../src/console-api/contract.ts'
import { needLateWords } from '../i18n/start-i18n.ts'

const root = '/console/api'

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

/** What goes with a call: what stands in its path, its parameters and its body, as the operation has them. */
export type Asked<Name extends keyof Operations> = With<'params', ParamsOf<Name>> &
  Maybe<'query', QueryOf<Name>> &
  With<'body', BodyOf<Name>> & { readonly signal?: AbortSignal }
type With<Part extends string, Value> = [Value] extends [never]
  ? unknown
  : [keyof Value] extends [never]
    ? unknown
    : { readonly [Each in Part]: Value }
type Maybe<Part extends string, Value> = [Value] extends [never]
  ? unknown
  : { readonly [Each in Part]?: Value }

/** Those that answer with JSON. */
type JsonName = {
  [Name in keyof Operations]: Operations[Name]['answer'] extends null ? never : Name
}[keyof Operations]

interface AnyAsked {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** Asks the back end. The compiler knows from the name of the operation what it takes and what it answers. */
export function call<Name extends JsonName>(
  name: Name,
  asked: Asked<Name>,
): Promise<AnswerOf<Name>> {
  const { body = {}, signal }: AnyAsked = asked
  const { method, address } = placeOf(name, asked)
  const init: RequestInit = { method, ...(signal && { signal }) }
  if (method === 'GET') return send<AnswerOf<Name>>(address, init)
  const headers = { 'content-type': 'application/json', [csrfHeader]: csrfValue }
  return send<AnswerOf<Name>>(address, { ...init, headers, body: JSON.stringify(body) })
}

/** For what the browser fetches by itself, such as a file. */
export function fileUrl<Name extends 'GET /usage/export'>(name: Name, asked: Asked<Name>): string {
  return placeOf(name, asked).address
}

function placeOf(name: string, { params = {}, query = {} }: AnyAsked) {
  const [method = '', path = ''] = name.split(' ')
  const filled = path.replace(/\{(\w+)\}/g, (_, place: string) =>
    encodeURIComponent(params[place] ?? ''),
  )
  const parameters = new URLSearchParams()
  for (const [parameter, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(parameter, value)
  }
  return { method, address: `${root}${filled}${parameters.size > 0 ? `?${parameters}` : ''}` }
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
