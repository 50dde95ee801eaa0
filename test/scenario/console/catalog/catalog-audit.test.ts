import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { CredentialRow } from '../../../../src/console-api/contract.ts'
import {
  enteredSecrets,
  exampleUpstream,
  type OperatorFixture,
  openOperatorFixture,
  examplePrice as price,
} from '../../../support/console/console-operator-fixture.ts'
import { freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'

describe('the audit log of the catalogue on SQLite', () => auditTests())
if (postgresServerUrl('audit log of the catalogue on Postgres') !== undefined) {
  describe('the audit log of the catalogue on Postgres', () => auditTests(freshDatabase))
}

const upstream = { id: 'audited/1', ...exampleUpstream, ...enteredSecrets }

function auditTests(makeDatabase?: typeof freshDatabase): void {
  let operator: OperatorFixture

  beforeAll(async () => {
    operator = await openOperatorFixture(makeDatabase)
  })
  afterAll(() => operator.close())

  const send: OperatorFixture['send'] = (...call) => operator.send(...call)

  /** Makes one change of every kind in the catalogue. */
  async function changeEverything(): Promise<void> {
    const path = '/operate/upstreams/audited%2F1'
    await send('POST', '/operate/upstreams', upstream)
    await send('PATCH', path, { concurrencyMax: 3 })
    const second = { name: 'second', value: `${enteredSecrets.credential}-2` }
    const added = await send<CredentialRow>('POST', `${path}/credentials`, second)
    await send('PATCH', `/operate/credentials/${added.id}`, { isEnabled: false })
    await send('DELETE', `/operate/credentials/${added.id}`)
    await send('POST', '/operate/models', { id: 'audited', displayName: 'A', price })
    await send('PATCH', '/operate/models/audited', { contextTokens: 200_000 })
    const later = operator.fixture.nowMs() + 3_600_000
    await send('POST', '/operate/models/audited/prices', { price, validFrom: later })
    const group = { id: 'audited', grants: [{ accountId: 'acme', until: null }] }
    await send('POST', '/operate/groups', group)
    const route = { group: 'audited', model: 'audited', upstream: 'audited/1' }
    const place = '/operate/routes?group=audited&model=audited'
    await send('PUT', place, { routes: [{ ...route, upstreamModel: 'x' }] })
    await send('DELETE', path)
    await send('PATCH', '/operate/groups/audited', { grants: null })
    await send('DELETE', '/operate/groups/audited')
  }

  test('every change is in the audit log with before and after, and no secret', async () => {
    const { db } = operator.fixture.engine
    await changeEverything()
    const rows = await db.selectFrom('audit').selectAll().orderBy('seq').execute()
    const actions = new Set(rows.map(({ action }) => action))
    for (const action of [
      'upstream.created',
      'upstream.changed',
      'upstream.deleted',
      'credential.added',
      'credential.changed',
      'credential.deleted',
      'model.created',
      'model.changed',
      'price.added',
      'routes.changed',
      'group.created',
      'group.changed',
      'group.deleted',
    ]) {
      expect(actions).toContain(action)
    }
    const text = JSON.stringify(rows)
    for (const secret of [enteredSecrets.credential, 'proxy-password'])
      expect(text).not.toContain(secret)
    const changed = rows.find(({ action }) => action === 'group.changed')
    expect(JSON.parse(changed?.before ?? '')).toMatchObject({ grants: [{ accountId: 'acme' }] })
    expect(JSON.parse(changed?.after ?? '')).toMatchObject({ grants: null })
  })
}
