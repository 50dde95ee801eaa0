import { accountWords } from './en/account.ts'
import { billingWords } from './en/billing.ts'
import { codeWords } from './en/codes.ts'
import { keysWords } from './en/keys.ts'
import { modelsWords } from './en/models.ts'
import { operatorAuditWords } from './en/operator-audit.ts'
import { operatorCatalogWords } from './en/operator-catalog.ts'
import { operatorExplainWords } from './en/operator-explain.ts'
import { operatorGroupsWords } from './en/operator-groups.ts'
import { operatorNavWords } from './en/operator-nav.ts'
import { operatorPeopleWords } from './en/operator-people.ts'
import { operatorRoutesWords } from './en/operator-routes.ts'
import { operatorSystemWords } from './en/operator-system.ts'
import { operatorUpstreamsWords } from './en/operator-upstreams.ts'
import { overviewWords } from './en/overview.ts'
import { playgroundWords } from './en/playground.ts'
import { setupWords } from './en/setup.ts'
import { shellWords } from './en/shell.ts'
import { signInWords } from './en/sign-in.ts'
import { usageWords } from './en/usage.ts'

/** Every text of the console, one file per page. Keys are flat, so that a search for one finds its use. */
export const en = {
  ...shellWords,
  ...signInWords,
  ...overviewWords,
  ...operatorSystemWords,
  ...operatorAuditWords,
  ...operatorExplainWords,
  ...operatorPeopleWords,
  ...operatorGroupsWords,
  ...operatorCatalogWords,
  ...operatorRoutesWords,
  ...operatorUpstreamsWords,
  ...operatorNavWords,
  ...keysWords,
  ...usageWords,
  ...setupWords,
  ...playgroundWords,
  ...accountWords,
  ...billingWords,
  ...modelsWords,
  ...codeWords,
}

export type Words = Readonly<Record<keyof typeof en, string>>
