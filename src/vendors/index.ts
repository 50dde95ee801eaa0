import { anthropic } from './anthropic/index.ts'
import { azureOpenai } from './azure-openai/index.ts'
import { google } from './google/index.ts'
import { openai } from './openai/index.ts'
import { openaiCompatible } from './openai-compatible/index.ts'
import type { Vendor } from './vendor.ts'

/** The only list of vendors. The first of a vendor's protocols is used when nothing else is configured. */
export const vendors: ReadonlyMap<string, Vendor> = new Map(
  [openai, anthropic, google, azureOpenai, openaiCompatible].map((vendor) => [vendor.name, vendor]),
)
