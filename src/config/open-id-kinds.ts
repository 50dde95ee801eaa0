import { parse } from 'yaml'
import { z } from 'zod'
import { accountRoles } from '../accounts/definition/member.ts'
import type { GroupMapping } from '../accounts/definition/open-id.ts'
import { normalDomain } from '../core/access/email-domain.ts'
import { idKind } from '../fields/kinds.ts'
import type { SettingKind } from './setting.ts'
import { linePattern, listSetting, matching } from './setting-kinds.ts'
import { wholeSentence } from './whole-sentence.ts'

/* The types of settings that only the sign-in with an identity provider has. */

export const domainsSetting: SettingKind<readonly string[]> = listSetting(
  'must be a list of domains such as example.com, separated by commas outside the file',
  'which is not a domain such as example.com',
  normalDomain,
)

/** The characters that OAuth allows in the name of a scope, except the comma. */
const scopePattern = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]{1,200}$/
export const scopesSetting: SettingKind<readonly string[]> = listSetting(
  'must be a list of scopes such as groups, separated by spaces or commas outside the file',
  'which is not the name of a scope',
  (text) => (scopePattern.test(text) ? text : undefined),
  /[\s,]+/,
)

export const claimSetting = matching(
  'CLAIM',
  /^[^\s\p{Cc}]{1,200}$/u,
  'must be the name of a claim such as groups or realm_access.roles, without spaces',
)

const mappingsMax = 1_000
const mapping = z.strictObject({
  group: z.string().regex(linePattern),
  account: idKind.wire,
  role: z.enum(accountRoles).default('member'),
})
const such = '{group: ai-team, account: acme, role: member}'

/** A list of objects in the file, the same as JSON elsewhere. */
export const groupsSetting: SettingKind<readonly GroupMapping[]> = {
  placeholder: 'JSON',
  documented: [...accountRoles, String(mappingsMax)],
  written: z
    .preprocess(
      parsed,
      z
        .array(z.unknown(), { error: `must be a list of entries such as ${such}` })
        .max(mappingsMax, {
          error: `must have at most ${mappingsMax} entries`,
        }),
    )
    .transform((entries, context) => {
      const mappings = entries.flatMap((entry, at) => {
        const reading = mapping.safeParse(entry)
        if (reading.success) return [reading.data]
        const message = `has a wrong entry ${at + 1}: it must be like ${such}, with the role ${accountRoles.join(', ')}.`
        context.addIssue(wholeSentence(message))
        return []
      })
      const twice = mappings.find(
        ({ group, account }, at) =>
          mappings.findIndex((each) => each.group === group && each.account === account) < at,
      )
      if (twice) {
        const message = `names the group "${twice.group}" twice for the account "${twice.account}".`
        context.addIssue(wholeSentence(message))
      }
      return mappings
    }),
}

/** JSON is YAML too. Empty text is an empty list. */
function parsed(input: unknown): unknown {
  if (typeof input !== 'string') return input
  try {
    return parse(input) ?? []
  } catch {
    return undefined
  }
}
