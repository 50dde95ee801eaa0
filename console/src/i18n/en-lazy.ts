import { accountTexts } from './en/account.ts'
import { alertsTexts } from './en/alerts.ts'
import { fieldProblemTexts } from './en/fields.ts'
import { findingTexts } from './en/findings.ts'
import { operatorAuditTexts } from './en/operator-audit.ts'
import { operatorCatalogTexts } from './en/operator-catalog.ts'
import { operatorExplainTexts } from './en/operator-explain.ts'
import { operatorGroupsTexts } from './en/operator-groups.ts'
import { operatorPeopleTexts } from './en/operator-people.ts'
import { operatorRoutesTexts } from './en/operator-routes.ts'
import { operatorSystemTexts } from './en/operator-system.ts'
import { operatorUpstreamsTexts } from './en/operator-upstreams.ts'
import { recordingTexts } from './en/recording.ts'
import { refusalTexts } from './en/refusals.ts'
import { tokensTexts } from './en/tokens.ts'

/** Texts that most visits do not need. They are loaded for operator pages and when the first error is shown. */
export const enLazy = {
  ...accountTexts,
  ...alertsTexts,
  ...fieldProblemTexts,
  ...operatorAuditTexts,
  ...operatorCatalogTexts,
  ...operatorExplainTexts,
  ...operatorGroupsTexts,
  ...operatorPeopleTexts,
  ...operatorRoutesTexts,
  ...operatorSystemTexts,
  ...operatorUpstreamsTexts,
  ...findingTexts,
  ...recordingTexts,
  ...refusalTexts,
  ...tokensTexts,
}

export type LazyTexts = Readonly<Record<keyof typeof enLazy, string>>
