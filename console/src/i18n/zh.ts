import type { Texts } from './en.ts'
import { billingTexts } from './zh/billing.ts'
import { codeTexts } from './zh/codes.ts'
import { keysTexts } from './zh/keys.ts'
import { modelsTexts } from './zh/models.ts'
import { operatorNavTexts } from './zh/operator-nav.ts'
import { overviewTexts } from './zh/overview.ts'
import { playgroundTexts } from './zh/playground.ts'
import { setupTexts } from './zh/setup.ts'
import { shellTexts } from './zh/shell.ts'
import { signInTexts } from './zh/sign-in.ts'
import { usageTexts } from './zh/usage.ts'

export const zh: Texts = {
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
