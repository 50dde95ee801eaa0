import type { Provision } from '../../../src/config/provision.ts'
import { vendors } from '../../../src/vendors/index.ts'
import type { Vendor } from '../../../src/vendors/vendor.ts'

/** Adds the vendor, and makes it the vendor of the upstreams that speak one protocol each. */
export function soldBy(vendor: Vendor): (provision: Provision) => Provision {
  // The product only reads this list; a test may add a vendor.
  ;(vendors as Map<string, Vendor>).set(vendor.name, vendor)
  return (provision) => ({
    ...provision,
    upstreams: provision.upstreams.map((each) =>
      each.id.startsWith('via-')
        ? { ...each, vendor: vendor.name, baseUrl: new URL(each.baseUrl ?? '').origin }
        : each,
    ),
  })
}
