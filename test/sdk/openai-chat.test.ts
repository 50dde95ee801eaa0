import { openaiChat } from './clients/openai-chat.ts'
import { describeSdk } from './describe-sdk.ts'

describeSdk(openaiChat)
