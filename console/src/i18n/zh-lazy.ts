import type { LazyTexts } from './en-lazy.ts'
import { accountTexts } from './zh/account.ts'
import { alertsTexts } from './zh/alerts.ts'
import { fieldProblemTexts } from './zh/fields.ts'
import { findingTexts } from './zh/findings.ts'
import { operatorAuditTexts } from './zh/operator-audit.ts'
import { operatorCatalogTexts } from './zh/operator-catalog.ts'
import { operatorExplainTexts } from './zh/operator-explain.ts'
import { operatorGroupsTexts } from './zh/operator-groups.ts'
import { operatorPeopleTexts } from './zh/operator-people.ts'
import { operatorRoutesTexts } from './zh/operator-routes.ts'
import { operatorSystemTexts } from './zh/operator-system.ts'
import { operatorUpstreamsTexts } from './zh/operator-upstreams.ts'
import { recordingTexts } from './zh/recording.ts'
import { refusalTexts } from './zh/refusals.ts'
import { tokensTexts } from './zh/tokens.ts'

export const zhLazy: LazyTexts = {
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
