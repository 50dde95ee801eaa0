import { describe, expect, test } from 'bun:test'
import { expiredKeptMs, invitationLifetimeMs } from '../../../src/accounts/invitation-end.ts'
import { invite } from '../../../src/accounts/invitations.ts'
import { sweepInvitations } from '../../../src/accounts/sweep-invitations.ts'
import { write } from '../../../src/store/changes/write.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAccount, nowMs, tools } from '../../support/store/row-helpers.ts'

const vault = createVault(new Uint8Array(32).fill(7))
const overMs = nowMs + invitationLifetimeMs + expiredKeptMs

describe.each(sharedFixtures('expired_invitations'))('expired invitations on $kind', (fixture) => {
  test('only invitations that nobody opened are deleted, with links and limits kept', async () => {
    const engine = await fixture.openMigrated()
    const { db } = engine
    await addAccount(engine)
    const invited = async (name: string, atMs = nowMs) =>
      write(engine, atMs, (writing) =>
        invite(
          writing,
          { ...tools, vault, nowMs: atMs, madeBy: 'u_owner' },
          { accountId: 'acme', email: `${name}@example.com`, role: 'member', monthlyNano: 5n },
        ),
      )
    const users = db.updateTable('console_user')
    await invited('ann')
    await invited('bob', nowMs + 1)
    await invited('repeated')
    await invited('repeated', nowMs + 2)
    const opened = await invited('opened')
    await users.set({ seen_at: nowMs }).where('id', '=', opened.userId).execute()
    const blocked = await invited('blocked')
    await users.set({ suspended: 1 }).where('id', '=', blocked.userId).execute()
    const former = await invited('former')
    await users.set({ invited_at: null }).where('id', '=', former.userId).execute()

    expect(await sweepInvitations(engine, overMs - 1)).toBe(0)
    expect(await sweepInvitations(engine, overMs, 1)).toBe(1)
    expect(await sweepInvitations(engine, overMs)).toBe(1)
    expect(await sweepInvitations(engine, overMs)).toBe(0)
    const left = await db.selectFrom('console_user').select('invited_email').execute()
    expect(left.map((row) => row.invited_email?.split('@')[0] ?? '').sort()).toEqual([
      'blocked',
      'bob',
      'opened',
      'repeated',
    ])
    for (const table of ['membership', 'sign_in_link'] as const) {
      const rows = await db.selectFrom(table).select('user_id').execute()
      expect(rows).toHaveLength(4)
    }
    const kept = await db.selectFrom('former_member').select(['email', 'monthly_nano']).execute()
    expect(kept.map((row) => `${row.email} ${row.monthly_nano}`).sort()).toEqual([
      'ann@example.com 5',
      'former@example.com 5',
    ])
    const audit = await db.selectFrom('audit').select(['actor', 'action', 'subject']).execute()
    const deleted = { actor: 'gateway', action: 'member.expired', subject: 'acme' }
    expect(audit).toEqual([deleted, deleted])
  })
})
