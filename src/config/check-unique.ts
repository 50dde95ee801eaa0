import type { GivenCredential } from '../catalog/definition/upstream.ts'
import type { WrittenProvision } from './provision-schema.ts'
import type { WrittenDocument } from './written-document.ts'
import { problemAt } from './written-document.ts'

const idOf = {
  groups: 'id',
  models: 'id',
  upstreams: 'id',
  accounts: 'id',
  keys: 'id',
  alerts: 'id',
} as const

/** No two entries of a list may describe the same object. */
export function checkUnique(document: WrittenDocument, data: WrittenProvision): void {
  for (const [list, field] of Object.entries(idOf)) {
    const ids = data[list as keyof typeof idOf].map(({ id }) => id)
    checkList(document, list, field, ids)
  }
  checkList(
    document,
    'users',
    'email',
    data.users.map(({ email }) => email),
  )
}

function checkList(
  document: WrittenDocument,
  list: string,
  field: string,
  ids: readonly string[],
): void {
  const first = new Map<string, number>()
  ids.forEach((id, index) => {
    const other = first.get(id)
    first.set(id, other ?? index)
    if (other === undefined) return
    const where = document.file.whereIs([...document.root, list, other])
    throw problemAt(
      document,
      [list, index],
      `repeats the ${field} "${id}" of ${where}; keep one of them.`,
    )
  })
}

/** A model may occur more than once in an upstream's list, for different groups. */
export function checkRoutes(
  document: WrittenDocument,
  upstream: number,
  routes: readonly { readonly model: string; readonly groups: readonly string[] }[],
): void {
  const known = new Map<string, Set<string>>()
  routes.forEach(({ model, groups }, index) => {
    const served = known.get(model) ?? new Set()
    known.set(model, served)
    const isRepeated = groups.some((group) => served.has(group))
    for (const group of groups) served.add(group)
    if (!isRepeated) return
    throw problemAt(
      document,
      ['upstreams', upstream, 'models', index],
      `repeats the model "${model}"; keep one of them.`,
    )
  })
}

export function checkNames(
  document: WrittenDocument,
  upstream: number,
  credentials: readonly GivenCredential[],
): void {
  const names = credentials.map(({ name }) => name)
  names.forEach((name, index) => {
    if (names.indexOf(name) === index) return
    throw problemAt(
      document,
      ['upstreams', upstream, 'credentials', index],
      `repeats the name "${name}"; choose another name.`,
    )
  })
}
