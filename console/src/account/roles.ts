import type { AccountRole } from '../../../src/console-api/contract.ts'

export const roles: readonly AccountRole[] = ['owner', 'member', 'viewer']
