import type { Words } from './en.ts'
import { accountWords } from './zh/account.ts'
import { billingWords } from './zh/billing.ts'
import { codeWords } from './zh/codes.ts'
import { keysWords } from './zh/keys.ts'
import { modelsWords } from './zh/models.ts'
import { operatorAuditWords } from './zh/operator-audit.ts'
import { operatorCatalogWords } from './zh/operator-catalog.ts'
import { operatorExplainWords } from './zh/operator-explain.ts'
import { operatorGroupsWords } from './zh/operator-groups.ts'
import { operatorNavWords } from './zh/operator-nav.ts'
import { operatorPeopleWords } from './zh/operator-people.ts'
import { operatorRoutesWords } from './zh/operator-routes.ts'
import { operatorSystemWords } from './zh/operator-system.ts'
import { operatorUpstreamsWords } from './zh/operator-upstreams.ts'
import { overviewWords } from './zh/overview.ts'
import { playgroundWords } from './zh/playground.ts'
import { setupWords } from './zh/setup.ts'
import { shellWords } from './zh/shell.ts'
import { signInWords } from './zh/sign-in.ts'
import { usageWords } from './zh/usage.ts'

export const zh: Words = {
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
