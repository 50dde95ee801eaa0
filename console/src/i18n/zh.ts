import type { Words } from './en.ts'
import { accountWords } from './zh/account.ts'
import { billingWords } from './zh/billing.ts'
import { codeWords } from './zh/codes.ts'
import { keysWords } from './zh/keys.ts'
import { modelsWords } from './zh/models.ts'
import { operatorNavWords } from './zh/operator-nav.ts'
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
