import type { CatalogSnapshot } from '../../catalog/catalog-snapshot.ts'
import type { Log } from '../../telemetry/log.ts'

/**
 * Logs each enabled upstream without a credential for its current host: once, until the upstream has such a credential
 * again. The result is called with every new snapshot of the catalog.
 */
export function warnUnboundCredentials(log: Log): (snapshot: CatalogSnapshot) => void {
  let warned = new Set<string>()
  return ({ upstreams }) => {
    const unbound = [...upstreams.values()].filter((each) => each.needsCredential && each.isEnabled)
    for (const { id, baseUrl } of unbound) {
      if (warned.has(id)) continue
      log.error('upstream_needs_credential', {
        upstream: id,
        baseUrl,
        why: 'its credentials are disabled or were entered for another host; enter them again',
      })
    }
    warned = new Set(unbound.map(({ id }) => id))
  }
}
