import type { LateWords } from './en-late.ts'
import { alertsWords } from './zh/alerts.ts'
import { fieldProblemTexts } from './zh/fields.ts'
import { findingWords } from './zh/findings.ts'
import { operatorAuditWords } from './zh/operator-audit.ts'
import { operatorCatalogWords } from './zh/operator-catalog.ts'
import { operatorExplainWords } from './zh/operator-explain.ts'
import { operatorGroupsWords } from './zh/operator-groups.ts'
import { operatorPeopleWords } from './zh/operator-people.ts'
import { operatorRoutesWords } from './zh/operator-routes.ts'
import { operatorSystemWords } from './zh/operator-system.ts'
import { operatorUpstreamsWords } from './zh/operator-upstreams.ts'
import { recordingWords } from './zh/recording.ts'
import { refusalWords } from './zh/refusals.ts'
import { tokensWords } from './zh/tokens.ts'

export const zhLate: LateWords = {
  ...alertsWords,
  ...fieldProblemTexts,
  ...operatorAuditWords,
  ...operatorCatalogWords,
  ...operatorExplainWords,
  ...operatorGroupsWords,
  ...operatorPeopleWords,
  ...operatorRoutesWords,
  ...operatorSystemWords,
  ...operatorUpstreamsWords,
  ...findingWords,
  ...recordingWords,
  ...refusalWords,
  ...tokensWords,
}
