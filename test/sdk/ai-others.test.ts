import { aiAnthropic, aiGoogle } from './clients/ai-others.ts'
import { describeSdk } from './describe-sdk.ts'

describeSdk(aiAnthropic)
describeSdk(aiGoogle)
