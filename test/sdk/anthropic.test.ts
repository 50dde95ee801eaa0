import { anthropic } from './clients/anthropic.ts'
import { describeSdk } from './describe-sdk.ts'

describeSdk(anthropic)
