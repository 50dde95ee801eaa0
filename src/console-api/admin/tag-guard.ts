import type { Engine } from '../../store/engine.ts'
import type { ChangeGuard, OperationRoute, Scope } from '../routes/route.ts'
import {
  checkPreconditions,
  entityTagOf,
  type Preconditions,
  readPreconditions,
} from './entity-tag.ts'
import { settingsReaderOf } from './tagged-settings.ts'

/**
 * Prevents lost updates: compares the tag of the resource in the transaction of the change, and reads the new one
 * there.
 */
export class TagGuard implements ChangeGuard {
  readonly #read: (db: Engine['db'], scope: Scope) => Promise<unknown>
  readonly #mayMake: boolean
  readonly #expected: Preconditions | undefined
  #tag: string | undefined

  constructor(
    route: Pick<OperationRoute, 'method' | 'path'>,
    {
      id,
      query,
      headers,
    }: { readonly id: string; readonly query: URLSearchParams; readonly headers: Headers },
  ) {
    const reader = settingsReaderOf(route)
    this.#read = async (db, { accountIds }) => reader?.(db, { id, query, accountIds })
    this.#mayMake = route.method === 'PUT'
    const isGuarded = reader !== undefined && route.method !== 'GET'
    this.#expected = isGuarded ? readPreconditions(headers) : undefined
  }

  /** The tag of the resource after the change; undefined if it has none. */
  get tag(): string | undefined {
    return this.#tag
  }

  async before(db: Engine['db'], scope: Scope): Promise<void> {
    const tag = await this.#tagNow(db, scope)
    // A missing resource is reported as missing, whatever the precondition.
    if (tag === undefined && !this.#mayMake) return
    if (this.#expected) checkPreconditions(this.#expected, tag)
  }

  async after(db: Engine['db'], scope: Scope): Promise<void> {
    this.#tag = await this.#tagNow(db, scope)
  }

  async #tagNow(db: Engine['db'], scope: Scope): Promise<string | undefined> {
    const settings = await this.#read(db, scope)
    return settings === undefined ? undefined : entityTagOf(settings)
  }
}
