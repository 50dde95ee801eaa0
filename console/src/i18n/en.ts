import { accountWords } from './en/account.ts'
import { billingWords } from './en/billing.ts'
import { codeWords } from './en/codes.ts'
import { keysWords } from './en/keys.ts'
import { modelsWords } from './en/models.ts'
import { operatorNavWords } from './en/operator-nav.ts'
import { overviewWords } from './en/overview.ts'
import { playgroundWords } from './en/playground.ts'
import { setupWords } from './en/setup.ts'
import { shellWords } from './en/shell.ts'
import { signInWords } from './en/sign-in.ts'
import { usageWords } from './en/usage.ts'

/** All texts of the console, one file per page. Keys are flat, so that a search for a key finds its use. */
export const en = {
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

export type Words = Readonly<Record<keyof typeof en, string>>
