import type { CatalogSnapshot } from '../catalog/catalog-snapshot.ts'
import type { Log } from '../telemetry/log.ts'

/** Warns once for each upstream that has credentials, none of which is bound to its current host. */
export class MovedWatch {
  readonly #log: Log
  #told = new Set<string>()

  constructor(log: Log) {
    this.#log = log
  }

  look({ upstreams }: CatalogSnapshot): void {
    const moved = [...upstreams.values()].filter((each) => each.needsCredential && each.isEnabled)
    for (const { id, baseUrl } of moved) {
      if (this.#told.has(id)) continue
      this.#log.error('upstream_needs_credential', {
        upstream: id,
        baseUrl,
        why: 'its credentials are disabled or were entered for another host; enter them again',
      })
    }
    this.#told = new Set(moved.map(({ id }) => id))
  }
}
