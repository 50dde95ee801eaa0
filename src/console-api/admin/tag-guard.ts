import type { Engine } from '../../store/engine.ts'
import type { ChangeGuard, OperationRoute, Scope } from '../route.ts'
import { checkPrecondition, entityTagOf } from './entity-tag.ts'
import { settingsReaderOf } from './tagged-settings.ts'

/** Keeps changes from being lost: the tag of what a call is about, compared and taken anew in its own transaction. */
export class TagGuard implements ChangeGuard {
  readonly #read: (db: Engine['db'], scope: Scope) => Promise<unknown>
  readonly #mayMake: boolean
  readonly #headers: Headers
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
    this.#headers = headers
  }

  /** Of what the call is about, as it was left; undefined when it has none. */
  get tag(): string | undefined {
    return this.#tag
  }

  async before(db: Engine['db'], scope: Scope): Promise<void> {
    const tag = await this.#tagNow(db, scope)
    // That there is nothing to change is told whatever was expected of it.
    if (tag === undefined && !this.#mayMake) return
    checkPrecondition(this.#headers, tag)
  }

  async after(db: Engine['db'], scope: Scope): Promise<void> {
    this.#tag = await this.#tagNow(db, scope)
  }

  async #tagNow(db: Engine['db'], scope: Scope): Promise<string | undefined> {
    const settings = await this.#read(db, scope)
    return settings === undefined ? undefined : entityTagOf(settings)
  }
}
