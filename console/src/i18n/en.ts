import { billingTexts } from './en/billing.ts'
import { codeTexts } from './en/codes.ts'
import { keysTexts } from './en/keys.ts'
import { modelsTexts } from './en/models.ts'
import { operatorNavTexts } from './en/operator-nav.ts'
import { overviewTexts } from './en/overview.ts'
import { playgroundTexts } from './en/playground.ts'
import { setupTexts } from './en/setup.ts'
import { shellTexts } from './en/shell.ts'
import { signInTexts } from './en/sign-in.ts'
import { usageTexts } from './en/usage.ts'

/** All texts of the console, one file per page. Keys are flat, so that a search for a key finds its use. */
export const en = {
  ...shellTexts,
  ...signInTexts,
  ...overviewTexts,
  ...operatorNavTexts,
  ...keysTexts,
  ...usageTexts,
  ...setupTexts,
  ...playgroundTexts,
  ...billingTexts,
  ...modelsTexts,
  ...codeTexts,
}

export type Texts = Readonly<Record<keyof typeof en, string>>
