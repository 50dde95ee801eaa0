import { anthropic } from './anthropic/index.ts'
import { google } from './google/index.ts'
import { openai } from './openai/index.ts'
import { openaiCompatible } from './openai-compatible/index.ts'
import type { Vendor } from './vendor.ts'

/** The only list of vendors. */
export const vendors: ReadonlyMap<string, Vendor> = new Map(
  [openai, anthropic, google, openaiCompatible].map((vendor) => [vendor.name, vendor]),
)
