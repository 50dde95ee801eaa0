import { accountRoles } from '../../../src/accounts/definition/member.ts'

/** In display order: the most powerful role first. */
export const roles = accountRoles.toReversed()
