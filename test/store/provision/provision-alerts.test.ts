import { describe, expect, test } from 'bun:test'
import { findHook, readAlert } from '../../../src/alerts/alert-store.ts'
import { ConfigProblem } from '../../../src/config/config-problem.ts'
import { describeApplied } from '../../../src/provision/applied.ts'
import { applyProvision } from '../../../src/provision/apply-provision.ts'
import { exportProvision } from '../../../src/provision/export-provision.ts'
import { configOf, type Fixture, fixtures } from '../../support/store/provision-fixture.ts'

const env = {
  HOOK: 'https://hooks.example.com/x?key=hidden',
  SECRET: 'a-secret-of-twenty-characters',
}

async function apply({ engine, tools }: Fixture, text: string) {
  const { provision } = configOf(`provision: ${text}`, env)
  const applied = await applyProvision(engine, tools, provision, 'confirmed')
  const changed = describeApplied(applied).replace('provision: ', '')
  return { changed, warnings: applied.warnings }
}

const hook =
  'id: ops, channel: webhook, url: env:HOOK, secret: env:SECRET, kinds: [upstream_down, credit_low]'
const people = 'accounts: [{ id: a }], users: [{ email: ann@b, accounts: [a] }]'

for (const [engineName, open] of fixtures('alerts in the file')) {
  describe(`alerts in the file, on ${engineName}`, () => {
    test('are created, changed and left alone; an absent secret stays', async () => {
      const fixture = await open()
      const { engine, tools } = fixture
      const first = await apply(fixture, `{ alerts: [{ ${hook} }] }`)
      expect(first).toEqual({ changed: '1 alert (1 created)', warnings: [] })
      expect((await apply(fixture, `{ alerts: [{ ${hook} }] }`)).changed).toBe(
        '1 alert (1 unchanged)',
      )
      const silent =
        '{ alerts: [{ id: ops, channel: webhook, kinds: [upstream_down], spendFactor: 9 }] }'
      expect((await apply(fixture, silent)).changed).toBe('1 alert (1 changed)')
      expect(await findHook(engine.db, tools.vault, 'ops')).toEqual({
        url: env.HOOK,
        secret: env.SECRET,
      })
      expect(await readAlert(engine.db, 'ops')).toMatchObject({ name: 'ops', spendFactor: 9 })
      const { alerts } = await exportProvision(engine, 1)
      expect(alerts).toMatchObject([{ id: 'ops', channel: 'webhook', creditBelow: '5.00' }])
      expect(JSON.stringify(alerts)).not.toContain('hidden')
      expect(JSON.stringify(alerts)).not.toContain(env.SECRET)
    })

    test.each([
      ['channel: slack', 'url'],
      ['channel: webhook', 'url'],
      ['channel: webhook, url: env:HOOK', 'secret'],
    ])('a new alert with { %s } is not created: a warning names "%s"', async (fields, missing) => {
      const fixture = await open()
      const { changed, warnings } = await apply(
        fixture,
        `{ alerts: [{ id: ops, ${fields}, kinds: [upstream_down] }] }`,
      )
      expect(changed).toBe('nothing to apply')
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toContain(
        `the alert "ops" was not created, because it has no "${missing}"; add `,
      )
      expect(await readAlert(fixture.engine.db, 'ops')).toBeUndefined()
    })

    test.each([
      [
        'an unknown account',
        `id: x, account: b, channel: slack, url: env:HOOK, kinds: [credit_low]`,
        'names the account "b"',
      ],
      [
        'a condition for operators',
        `id: x, account: a, channel: slack, url: env:HOOK, kinds: [upstream_down]`,
        'only an alert for the whole gateway',
      ],
      [
        'another channel',
        `id: ops, channel: slack, url: env:HOOK, kinds: [credit_low]`,
        'another account or channel',
      ],
      ['no recipient', `id: x, channel: email, kinds: [credit_low]`, 'at least one recipient'],
    ])('%s is refused, and nothing is applied', async (_name, entry, words) => {
      const fixture = await open()
      await apply(fixture, `{ ${people}, alerts: [{ ${hook} }] }`)
      const error = await apply(
        fixture,
        `{ accounts: [{ id: new }], alerts: [{ ${entry} }] }`,
      ).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(ConfigProblem)
      expect(String(error)).toContain(words)
      const rows = await fixture.engine.db.selectFrom('account').select('id').execute()
      expect(rows).toEqual([{ id: 'a' }])
    })

    test('a recipient who is suspended or has left causes a warning: the file still starts the gateway', async () => {
      const fixture = await open()
      const entry = 'id: x, account: a, channel: email, emails: [ann@b, eve@b], kinds: [credit_low]'
      const first = await apply(fixture, `{ ${people}, alerts: [{ ${entry} }] }`)
      expect(first.warnings).toEqual([
        expect.stringContaining('names the recipient "eve@b", which is not a verified member'),
      ])
      await fixture.engine.db.updateTable('console_user').set({ suspended: 1 }).execute()
      const again = await apply(fixture, `{ alerts: [{ ${entry} }] }`)
      expect([again.changed, again.warnings.length]).toEqual(['1 alert (1 unchanged)', 2])
      expect(await readAlert(fixture.engine.db, 'x')).toMatchObject({ emails: ['ann@b', 'eve@b'] })
    })

    test('an email alert of an account goes to its member', async () => {
      const fixture = await open()
      const entry =
        'id: x, account: a, channel: email, emails: [ANN@b], kinds: [credit_low], creditBelow: 2.50'
      const { changed } = await apply(fixture, `{ ${people}, alerts: [{ ${entry} }] }`)
      expect(changed).toContain('1 alert (1 created)')
      expect(await readAlert(fixture.engine.db, 'x')).toMatchObject({
        emails: ['ann@b'],
        creditBelowNano: 2_500_000_000n,
      })
    })
  })
}
