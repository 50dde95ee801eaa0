import type { RandomBytes } from '../core/id.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import { readJsonList } from '../store/rows/json-list.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { base32, matchingStep } from './totp.ts'

export const sealPurpose = 'totp secret'
const secretBytes = 20
const recoveryCodes = 10
const recoveryBytes = 10

/** Creates a new secret for the authenticator app. The secret takes effect once `confirmTotp` has verified a code. */
export async function startTotp(
  { tx }: Writing,
  tools: { readonly vault: Vault; readonly random: RandomBytes },
  userId: string,
): Promise<Uint8Array> {
  const secret = tools.random(secretBytes).slice()
  const sealed = tools.vault.seal(Buffer.from(secret).toString('base64url'), sealPurpose)
  await tx
    .updateTable('console_user')
    .set({ totp_wanted_sealed: sealed })
    .where('id', '=', userId)
    .execute()
  return secret
}

/** Activates the secret and returns the recovery codes; undefined when the code is wrong. */
export async function confirmTotp(
  { tx }: Writing,
  tools: { readonly vault: Vault; readonly random: RandomBytes; readonly nowMs: number },
  userId: string,
  code: string,
): Promise<string[] | undefined> {
  const row = await tx
    .selectFrom('console_user')
    .select('totp_wanted_sealed')
    .where('id', '=', userId)
    .executeTakeFirst()
  const sealed = row?.totp_wanted_sealed
  if (!sealed) return undefined
  const step = matchingStep(openSecret(tools.vault, sealed), digitsOf(code), {
    nowMs: tools.nowMs,
    afterStep: 0,
  })
  if (step === undefined) return undefined
  const codes = Array.from({ length: recoveryCodes }, () => recoveryCode(tools.random))
  await tx
    .updateTable('console_user')
    .set({
      totp_sealed: sealed,
      totp_wanted_sealed: null,
      totp_step: step,
      recovery_hashes: JSON.stringify(codes.map((each) => recoveryHash(tools.vault, each))),
    })
    .where('id', '=', userId)
    .execute()
  return codes
}

export async function removeTotp({ tx }: Writing, userId: string): Promise<void> {
  await tx
    .updateTable('console_user')
    .set({ totp_sealed: null, totp_wanted_sealed: null, recovery_hashes: '[]' })
    .where('id', '=', userId)
    .execute()
}

/** Whether the text is the user's current code or a recovery code. A correct code is used up. */
export async function consumeSecondFactor(
  { db }: Engine,
  { vault, nowMs }: { readonly vault: Vault; readonly nowMs: number },
  userId: string,
  code: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('console_user')
    .select(['totp_sealed', 'totp_step', 'recovery_hashes'])
    .where('id', '=', userId)
    .executeTakeFirst()
  if (!row?.totp_sealed) return false
  const step = matchingStep(openSecret(vault, row.totp_sealed), digitsOf(code), {
    nowMs,
    afterStep: row.totp_step,
  })
  if (step !== undefined) {
    const taken = await db
      .updateTable('console_user')
      .set({ totp_step: step })
      .where('id', '=', userId)
      .where('totp_step', '<', step)
      .executeTakeFirst()
    return taken.numUpdatedRows > 0n
  }
  const hash = recoveryHash(vault, code)
  const hashes = readJsonList(row.recovery_hashes)
  if (!hashes.includes(hash)) return false
  const rest = JSON.stringify(hashes.filter((each) => each !== hash))
  const used = await db
    .updateTable('console_user')
    .set({ recovery_hashes: rest })
    .where('id', '=', userId)
    .where('recovery_hashes', '=', row.recovery_hashes)
    .executeTakeFirst()
  return used.numUpdatedRows > 0n
}

function openSecret(vault: Vault, sealed: string): Uint8Array {
  return Buffer.from(vault.open(sealed, sealPurpose), 'base64url')
}

function digitsOf(code: string): string {
  return code.replace(/\s/g, '')
}

/** Four groups of four letters, easy to write down. */
function recoveryCode(random: RandomBytes): string {
  return base32(random(recoveryBytes))
    .toLowerCase()
    .replace(/(.{4})(?=.)/g, '$1-')
}

function recoveryHash(vault: Vault, code: string): string {
  return vault.lookupHash(`recovery ${code.toLowerCase().replace(/[^a-z2-7]/g, '')}`)
}
