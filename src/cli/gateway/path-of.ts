import { splitName } from '../../console-api/contract/operations/operation.ts'

/** The URL path of an operation. `place` is its method and path, or those of the same operation in another API. */
export function pathOf(
  name: string,
  place: string,
  ask: { readonly id?: string; readonly query?: unknown },
): { readonly method: string; readonly path: string } {
  const { method, path } = splitName(place)
  if (path.includes('{id}') !== (ask.id !== undefined)) throw new Error(`${name} lacks its id`)
  const query = new URLSearchParams()
  for (const [parameter, value] of Object.entries(ask.query ?? {})) {
    if (value !== undefined) query.set(parameter, String(value))
  }
  const filled = path.replace('{id}', encodeURIComponent(ask.id ?? ''))
  const text = query.toString()
  return { method, path: text === '' ? filled : `${filled}?${text}` }
}
