import { membersAmong, putAlert as putStored } from '../alerts/alert-store.ts'
import type { PutResult } from '../catalog/catalog-store.ts'
import type { ProvisionAlert } from '../config/provision.ts'
import type { Writing } from '../store/changes/write.ts'
import { type OnConflict, refuseConflict } from './conflicts.ts'
import type { ProvisionDeps } from './provision-deps.ts'

/**
 * Creates the alert, or updates its settings. An absent URL or secret stays unchanged; a new alert without them is
 * `incomplete` and is not created.
 */
export async function putAlert(
  writing: Writing,
  { vault, random, nowMs }: ProvisionDeps,
  entry: ProvisionAlert,
  onConflict: OnConflict = refuseConflict,
): Promise<PutResult | 'incomplete'> {
  const { id, where } = entry
  const result = await putStored(writing, { vault, random, nowMs: nowMs() }, id, entry)
  if (result !== 'conflict') return result
  onConflict(
    `${where}: the alert "${id}" exists with another account or channel, which cannot change; give the new alert another id.`,
  )
  return 'same'
}

/**
 * A warning for each recipient who gets no messages. This is no error: a member may be suspended or leave at any time,
 * and the same file must still start the gateway.
 */
export async function warnOfStrangers(
  { tx }: Pick<Writing, 'tx'>,
  { id, where, accountId, emails }: ProvisionAlert,
): Promise<string[]> {
  if (accountId === null) return []
  const members = await membersAmong(tx, accountId, emails)
  return emails
    .filter((email) => !members.has(email))
    .map(
      (email) =>
        `${where}: the alert "${id}" names the recipient "${email}", which is not a verified member of the account "${accountId}" and gets no messages; add the user to provision.users or correct the address.`,
    )
}
