import {
  type BodyOf,
  csrfHeader,
  csrfValue,
  type Operations,
  type ParamsOf,
  type QueryOf,
} from '../../../src/console-api/contract.ts'

const root = '/console/api'

/** Path parameters, query and body of an operation. */
export type CallInput<Name extends keyof Operations> = With<'params', ParamsOf<Name>> &
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

interface AnyInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** The HTTP request of an operation. */
export function requestOf<Name extends keyof Operations>(
  name: Name,
  input: CallInput<Name>,
): { readonly address: string; readonly init: RequestInit } {
  const { params = {}, query = {}, body = {}, signal }: AnyInput = input
  const [method = '', path = ''] = name.split(' ')
  const filled = path.replace(/\{(\w+)\}/g, (_, place: string) =>
    encodeURIComponent(params[place] ?? ''),
  )
  const parameters = new URLSearchParams()
  for (const [parameter, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(parameter, value)
  }
  const address = `${root}${filled}${parameters.size > 0 ? `?${parameters}` : ''}`
  const init = { method, ...(signal && { signal }) }
  if (method === 'GET') return { address, init }
  const headers = { 'content-type': 'application/json', [csrfHeader]: csrfValue }
  return { address, init: { ...init, headers, body: JSON.stringify(body) } }
}
