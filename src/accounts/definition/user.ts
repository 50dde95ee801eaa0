import { z } from 'zod'
import { languages } from '../../core/text/language.ts'
import { themes } from '../../core/text/theme.ts'
import {
  define,
  maybe,
  optional,
  required,
  type ValuesOf,
  without,
} from '../../fields/definition.ts'
import { enumKind, kindOf, orNull } from '../../fields/kind.ts'
import { emailKind, flagKind, idKind, passwordKind } from '../../fields/kinds.ts'
import { objectKind, rowsOf, shortBy } from '../../fields/object-kind.ts'
import { accountsMax, outsideSchema, problemMessage } from '../../fields/problems.ts'
import { type AccountRole, accountRoleKind, givenLimits, memberSourceKind } from './member.ts'

export const consoleRoles = ['member', 'admin'] as const
export type ConsoleRole = (typeof consoleRoles)[number]

/** The party that confirms that an address belongs to the owner of a login. */
export const proofs = ['operator', 'open-id'] as const
export type Proof = (typeof proofs)[number]

/** An account that a user belongs to. */
export interface UserAccount {
  readonly id: string
  readonly role: AccountRole
}

// Clients may send back the object that they have read, so the name of the account is accepted and ignored.
const userAccount: z.ZodType<UserAccount, UserAccount> = z.object(
  { id: idKind.wire, role: accountRoleKind.wire },
  { error: problemMessage('object_wrong') },
)

const manyAccounts = { error: problemMessage('accounts_many') }
const userAccountsKind = kindOf<readonly UserAccount[]>(
  'object',
  z
    .array(userAccount, { error: problemMessage('list_wrong') })
    .max(accountsMax, manyAccounts)
    .refine((given) => new Set(given.map(({ id }) => id)).size === given.length, {
      ...manyAccounts,
      params: outsideSchema,
    })
    .meta({ uniqueItems: true })
    .readonly(),
)

/** The settings of a console user that an operator chooses. */
export const userDefinition = define('user', {
  email: required(emailKind, {
    about: 'The email address, which is also the sign-in name.',
    by: 'operator',
    isFixed: true,
  }),
  role: optional(enumKind(consoleRoles), 'member', {
    about: 'An admin operates the whole gateway.',
    by: 'operator',
  }),
  isSuspended: optional(flagKind, false, {
    file: null,
    about: 'A suspended user cannot sign in.',
    by: 'operator',
  }),
  accounts: optional(userAccountsKind, [], {
    file: null,
    about: 'The accounts of the user, each with a role.',
    by: 'operator',
  }),
})

/** A new user can sign in. */
export const newUserDefinition = without(userDefinition, ['isSuspended'])

const membershipRows = rowsOf(
  shortBy(
    objectKind({
      id: required(idKind, { about: 'The account.', by: 'operator' }),
      role: maybe(accountRoleKind, {
        about: 'The role of the user in the account.',
        by: 'operator',
      }),
      source: maybe(memberSourceKind, {
        about:
          'open-id: the groups at the identity provider decide, and only a new user gets the role from here.',
        by: 'operator',
      }),
      ...givenLimits,
    }),
    'id',
  ),
  { max: accountsMax, many: 'accounts_many', twice: 'accounts_twice', key: 'id' },
)

/** In the file, the id of an account can replace the object. Duplicate accounts count once. */
const membershipsKind: typeof membershipRows = {
  ...membershipRows,
  entry: 'list',
  written: z.codec(z.unknown(), membershipRows.written, {
    decode: (given) => (Array.isArray(given) ? [...new Set<unknown>(given)] : given),
    encode: (given) => given,
  }),
}

/** The settings of a user in the config file. */
export const provisionedUserDefinition = define('user', {
  ...userDefinition.fields,
  isSuspended: maybe(flagKind, {
    file: 'suspended',
    about: 'A suspended user cannot sign in; absent: unchanged.',
    by: 'operator',
  }),
  source: maybe(memberSourceKind, {
    about: 'open-id: the identity provider brought this user here. Only read for a new user.',
    by: 'operator',
  }),
  accounts: optional(membershipsKind, [], {
    about: 'The accounts of the user. An absent role or limit stays unchanged.',
    by: 'operator',
  }),
})

export type Membership = ValuesOf<typeof provisionedUserDefinition>['accounts'][number]

export const ownPasswordDefinition = define('password', {
  password: required(passwordKind, {
    about: 'The new password.',
    by: 'self',
    isSecret: true,
  }),
})

/** The console preferences of a user, the same on every device. Null means the browser's setting. */
export const preferencesDefinition = define('preferences', {
  language: optional(orNull(enumKind(languages)), null, {
    about: 'Of the console; null: the setting of the browser.',
    by: 'self',
  }),
  theme: optional(orNull(enumKind(themes)), null, {
    about: 'Of the console; null: the setting of the browser.',
    by: 'self',
  }),
})
