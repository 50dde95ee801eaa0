import { anthropic0 } from './clients/anthropic-0.ts'
import { describeSdk } from './describe-sdk.ts'

describeSdk(anthropic0)
