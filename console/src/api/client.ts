import {
  type ConsoleErrorCode,
  csrfHeader,
  csrfValue,
  type ErrorAnswer,
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

export type Query = Readonly<Record<string, string | undefined>>

export function get<Answer>(
  path: string,
  query: Query = {},
  signal?: AbortSignal,
): Promise<Answer> {
  return send<Answer>(addressOf(path, query), signal ? { signal } : {})
}

export function post<Answer>(path: string, body: object = {}): Promise<Answer> {
  return change<Answer>('POST', path, body)
}

export function put<Answer>(path: string, body: object): Promise<Answer> {
  return change<Answer>('PUT', path, body)
}

export function patch<Answer>(path: string, body: object): Promise<Answer> {
  return change<Answer>('PATCH', path, body)
}

export function remove<Answer>(path: string): Promise<Answer> {
  return change<Answer>('DELETE', path, {})
}

/** The path with what the query has, without what is absent. */
export function addressOf(path: string, query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, value)
  }
  return parameters.size > 0 ? `${path}?${parameters}` : path
}

/** For what the browser fetches by itself, such as a file. */
export function apiUrl(path: string, query: Query): string {
  return `${root}${addressOf(path, query)}`
}

function change<Answer>(method: string, path: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json', [csrfHeader]: csrfValue }
  return send<Answer>(path, { method, headers, body: JSON.stringify(body) })
}

async function send<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(`${root}${path}`, init).catch((error: unknown) => {
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
