/**
 * Variables that Bun reads only when it starts. Its own client allows 256 concurrent requests by default, and every open
 * stream through a TLS proxy holds one. 65535 is the highest number that Bun accepts.
 */
export const runtimeVariables = { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' }
