import type { HostedTool } from '../../core/model-request.ts'
import { isObject, type JsonObject, objectAt, parseJson, stringAt } from '../../wire/json.ts'

/** Another protocol's web search. The allowed domains and the user's location mean the same in all protocols. */
export function encodeWebSearch(tool: HostedTool): JsonObject {
  const parsed = parseJson(tool.json)
  const value = isObject(parsed) ? parsed : {}
  const domains = value['allowed_domains']
  return {
    type: 'web_search',
    filters:
      Array.isArray(domains) && domains.length > 0 ? { allowed_domains: domains } : undefined,
    user_location: locationOf(value),
    search_context_size: stringAt(value, 'search_context_size'),
  }
}

/** chat-completions nests the location one level deeper. */
function locationOf(value: JsonObject): JsonObject | undefined {
  const location = objectAt(value, 'user_location')
  if (!location) return undefined
  const place = objectAt(location, 'approximate') ?? location
  return {
    type: 'approximate',
    city: stringAt(place, 'city'),
    region: stringAt(place, 'region'),
    country: stringAt(place, 'country'),
    timezone: stringAt(place, 'timezone'),
  }
}
