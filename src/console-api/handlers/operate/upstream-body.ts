import type { UpstreamPatch } from '../../../catalog/definition/upstream.ts'
import type { UpstreamInput } from '../../../catalog/upstream-store.ts'
import { areCertificates } from '../../../core/network/are-certificates.ts'
import type { VendorFacts } from '../../ports/gateway-ports.ts'
import { brokenRule } from '../../refusal.ts'

/** Checked here, because the definition also runs in the browser, which cannot parse certificates. */
export function checkCertificates<Settings extends { readonly ca?: string | null }>(
  settings: Settings,
): Settings {
  const { ca } = settings
  if (typeof ca === 'string' && !areCertificates(ca)) throw brokenRule('ca', 'certificates_wrong')
  return settings
}

/** The settings after a change. The vendor decides which protocols are possible. */
export function settingsAfter(
  vendors: readonly VendorFacts[],
  before: Pick<UpstreamInput, 'id' | 'vendor' | 'protocol' | 'baseUrl'>,
  change: UpstreamPatch,
): UpstreamInput {
  const vendorName = change.vendor ?? before.vendor
  const vendor = vendors.find(({ name }) => name === vendorName)
  if (!vendor) {
    const names = vendors.map(({ name }) => name).join(', ')
    throw brokenRule('vendor', 'word_wrong', { words: names })
  }
  const protocol = change.protocol ?? before.protocol
  if (protocol !== 'any' && !vendor.protocols.includes(protocol)) {
    throw brokenRule('protocol', 'protocol_wrong', { words: vendor.protocols.join(', ') })
  }
  const given = change.baseUrl === undefined ? before.baseUrl : change.baseUrl
  const baseUrl = given ?? vendor.baseUrl
  if (baseUrl === undefined) throw brokenRule('baseUrl', 'base_url_needed', { vendor: vendorName })
  return { ...change, id: before.id, vendor: vendorName, protocol, baseUrl }
}
