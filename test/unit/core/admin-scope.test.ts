import { describe, expect, test } from 'bun:test'
import {
  type AdminArea,
  type AdminScope,
  adminAreas,
  adminScopes,
  coversScopes,
  mayCall,
  type OperationKind,
  operationKinds,
} from '../../../src/core/access/admin-scope.ts'

/** The scopes that allow each kind in each area, written out, so that a mistake in the rule shows. */
const allowed: Readonly<Record<AdminArea, Readonly<Record<OperationKind, string>>>> = {
  keys: {
    reads: 'read keys all',
    changes: 'keys all',
    'moves-money': 'money all',
    reveals: 'keys all',
    grants: 'all',
  },
  catalogue: {
    reads: 'read catalogue all',
    changes: 'catalogue all',
    'moves-money': 'money all',
    reveals: 'catalogue all',
    grants: 'all',
  },
  accounts: {
    reads: 'read accounts all',
    changes: 'accounts all',
    'moves-money': 'money all',
    reveals: 'accounts all',
    grants: 'all',
  },
  money: {
    reads: 'read money all',
    changes: 'money all',
    'moves-money': 'money all',
    reveals: 'money all',
    grants: 'all',
  },
  usage: {
    reads: 'read usage all',
    changes: 'usage all',
    'moves-money': 'money all',
    reveals: 'usage all',
    grants: 'all',
  },
  recordings: {
    reads: 'read recordings all',
    changes: 'recordings all',
    'moves-money': 'money all',
    reveals: 'recordings all',
    grants: 'all',
  },
  system: {
    reads: 'read all',
    changes: 'all',
    'moves-money': 'money all',
    reveals: 'all',
    grants: 'all',
  },
  personal: { reads: '', changes: '', 'moves-money': '', reveals: '', grants: '' },
}

const cases = adminAreas.flatMap((area) =>
  operationKinds.flatMap((kind) => adminScopes.map((scope) => ({ area, kind, scope }))),
)

describe('the rights of a token', () => {
  test.each(cases)('$kind in $area with the scope $scope', ({ area, kind, scope }) => {
    const isAllowed = allowed[area][kind].split(' ').includes(scope)
    const gateway = { scopes: [scope], accountId: undefined }
    const ofAccount = { scopes: [scope], accountId: 'a' }
    for (const token of [gateway, ofAccount]) {
      const refusal = mayCall(token, { area, kind, reach: 'account' })
      expect(refusal === undefined).toBe(isAllowed)
      if (refusal) expect(refusal.enough.join(' ')).toBe(allowed[area][kind])
    }
    expect(mayCall(gateway, { area, kind, reach: 'gateway' }) === undefined).toBe(isAllowed)
    // A token for one account never has the rights of an operator.
    expect(mayCall(ofAccount, { area, kind, reach: 'gateway' })?.reason).toBe(
      area === 'personal' ? 'personal' : 'gateway',
    )
  })

  test.each(adminAreas)('without a scope no right in %s', (area) => {
    for (const kind of operationKinds) {
      const token = { scopes: [], accountId: undefined }
      expect(mayCall(token, { area, kind, reach: 'account' })).toBeDefined()
    }
  })

  test('several scopes allow what each of them allows, and no more', () => {
    const token = { scopes: ['read', 'keys'] as const, accountId: undefined }
    const may = (area: AdminArea, kind: OperationKind) =>
      mayCall(token, { area, kind, reach: 'gateway' })?.reason
    expect(may('money', 'reads')).toBeUndefined()
    expect(may('keys', 'reveals')).toBeUndefined()
    expect(may('money', 'moves-money')).toBe('scope')
    expect(may('keys', 'grants')).toBe('scope')
  })

  const covers: readonly (readonly [AdminScope[], AdminScope[], boolean])[] = [
    [['all'], ['all'], true],
    [['all'], ['read', 'keys'], true],
    [['keys'], ['keys'], true],
    [['keys'], ['read'], false],
    [['keys', 'usage'], ['usage'], true],
    [['read', 'keys', 'catalogue', 'accounts', 'money', 'usage'], ['all'], false],
    [['read'], ['keys'], false],
    [[], [], true],
  ]
  test.each(covers)('%j covers %j: %p', (mine, wanted, isCovered) => {
    expect(coversScopes(mine, wanted)).toBe(isCovered)
  })
})
