import {
  type ConsoleErrorCode,
  csrfHeader,
  csrfValue,
  type ErrorAnswer,
} from '../../../src/console-api/contract.ts'

const root = '/console/api'

/** What the back end refused, or `unreachable` when there was no answer at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ConsoleErrorCode | 'unreachable'
  readonly status: number
  readonly requestId: string | undefined

  constructor(status: number, code: ApiError['code'], message: string, requestId?: string) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
  }
}

export function get<Answer>(
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
  signal?: AbortSignal,
): Promise<Answer> {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, value)
  }
  const search = parameters.size > 0 ? `?${parameters}` : ''
  return send<Answer>(`${path}${search}`, signal ? { signal } : {})
}

export function post<Answer>(path: string, body: object = {}): Promise<Answer> {
  const headers = { 'content-type': 'application/json', [csrfHeader]: csrfValue }
  return send<Answer>(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function send<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(`${root}${path}`, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    throw new ApiError(0, 'unreachable', 'The gateway does not answer.')
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body as Answer
  const told = isErrorAnswer(body) ? body.error : undefined
  const message = told?.message ?? `The gateway answered ${response.status}.`
  throw new ApiError(response.status, told?.code ?? 'internal_error', message, told?.requestId)
}

function isErrorAnswer(body: unknown): body is ErrorAnswer {
  return typeof body === 'object' && body !== null && 'error' in body
}
