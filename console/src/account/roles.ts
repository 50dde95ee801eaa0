import { accountRoles } from '../../../src/accounts/definition/member.ts'

/** As people choose from them: the one who may do most comes first. */
export const roles = accountRoles.toReversed()
