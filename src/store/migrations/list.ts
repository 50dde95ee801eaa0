import { foundation } from './0001-foundation.ts'
import { protocols } from './0002-protocols.ts'
import { usage } from './0003-usage.ts'
import { audit } from './0004-audit.ts'
import { routing } from './0005-routing.ts'
import { consolePeople } from './0006-console.ts'
import { totals } from './0007-totals.ts'
import { storedCredential } from './0008-stored-credential.ts'
import { explained } from './0009-explained.ts'
import { uncovered } from './0010-uncovered.ts'
import { features } from './0011-features.ts'
import { proven } from './0012-proven.ts'
import { lives } from './0013-lives.ts'
import { reversals } from './0015-reversals.ts'
import { bounds } from './0016-bounds.ts'
import { adminTokens } from './0017-admin-tokens.ts'
import { idempotency } from './0018-idempotency.ts'
import { findings } from './0019-findings.ts'
import { budgets } from './0020-budgets.ts'
import { keyOwners } from './0021-key-owners.ts'
import { memberBudgets } from './0022-member-budgets.ts'
import { rateLimits } from './0023-rate-limits.ts'
import { moreRateLimits } from './0024-more-rate-limits.ts'
import { alerts } from './0025-alerts.ts'
import { openIdMembers } from './0026-open-id-members.ts'
import { passkeys } from './0027-passkeys.ts'
import { furtherRateLimits } from './0028-further-rate-limits.ts'
import { prioritiesAndQueue } from './0029-priorities.ts'
import { earlierSpending } from './0030-earlier-spending.ts'
import { recordings } from './0031-recordings.ts'
import { alertLanguage } from './0032-alert-language.ts'
import { formerMembers } from './0033-former-members.ts'
import { formerKeyOwners } from './0034-former-key-owners.ts'
import { uncountedCosts } from './0035-uncounted-costs.ts'
import { linkMakers } from './0036-link-makers.ts'
import { inviters } from './0037-inviters.ts'
import { countedLimits } from './0038-counted-limits.ts'
import { newMembers } from './0039-new-members.ts'
import { repeatedMessages } from './0040-repeated-messages.ts'
import { rateCounts } from './0041-rate-counts.ts'
import { messageTitles } from './0042-message-titles.ts'
import type { Migration } from './migration.ts'

/** Migrations only go forward, in this order. */
export const migrations: readonly Migration[] = [
  foundation,
  protocols,
  usage,
  audit,
  routing,
  consolePeople,
  totals,
  storedCredential,
  explained,
  uncovered,
  features,
  proven,
  lives,
  reversals,
  bounds,
  adminTokens,
  idempotency,
  findings,
  budgets,
  keyOwners,
  memberBudgets,
  rateLimits,
  moreRateLimits,
  alerts,
  openIdMembers,
  passkeys,
  furtherRateLimits,
  prioritiesAndQueue,
  earlierSpending,
  recordings,
  alertLanguage,
  formerMembers,
  formerKeyOwners,
  uncountedCosts,
  linkMakers,
  inviters,
  countedLimits,
  newMembers,
  repeatedMessages,
  rateCounts,
  messageTitles,
]
