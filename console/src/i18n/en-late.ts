import { alertsWords } from './en/alerts.ts'
import { fieldProblemTexts } from './en/fields.ts'
import { findingWords } from './en/findings.ts'
import { operatorAuditWords } from './en/operator-audit.ts'
import { operatorCatalogWords } from './en/operator-catalog.ts'
import { operatorExplainWords } from './en/operator-explain.ts'
import { operatorGroupsWords } from './en/operator-groups.ts'
import { operatorPeopleWords } from './en/operator-people.ts'
import { operatorRoutesWords } from './en/operator-routes.ts'
import { operatorSystemWords } from './en/operator-system.ts'
import { operatorUpstreamsWords } from './en/operator-upstreams.ts'
import { recordingWords } from './en/recording.ts'
import { refusalWords } from './en/refusals.ts'
import { tokensWords } from './en/tokens.ts'

/** Texts that most visits do not need. They are loaded for operator pages and when the first error is shown. */
export const enLate = {
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

export type LateWords = Readonly<Record<keyof typeof enLate, string>>
