import type { Engine } from '../../store/engine.ts'
import type { ChangeGuard } from '../change.ts'
import type { Route } from '../route.ts'
import { checkPrecondition, entityTagOf } from './entity-tag.ts'
import { settingsReaderOf } from './tagged-settings.ts'

/** Keeps changes from being lost: the tag of what a call is about, compared and taken anew in its own transaction. */
export class TagGuard implements ChangeGuard {
  readonly #read: (db: Engine['db']) => Promise<unknown>
  readonly #headers: Headers
  #tag: string | undefined

  constructor(
    route: Pick<Route, 'path'>,
    {
      id,
      query,
      headers,
    }: { readonly id: string; readonly query: URLSearchParams; readonly headers: Headers },
  ) {
    const reader = settingsReaderOf(route)
    this.#read = async (db) => reader?.(db, { id, query })
    this.#headers = headers
  }

  /** Of what the call is about, as it was left; undefined when it has none. */
  get tag(): string | undefined {
    return this.#tag
  }

  async before(db: Engine['db']): Promise<void> {
    checkPrecondition(this.#headers, await this.#tagNow(db))
  }

  async after(db: Engine['db']): Promise<void> {
    this.#tag = await this.#tagNow(db)
  }

  async #tagNow(db: Engine['db']): Promise<string | undefined> {
    const settings = await this.#read(db)
    return settings === undefined ? undefined : entityTagOf(settings)
  }
}
