export const engineKinds = ['sqlite', 'postgres'] as const
export type EngineKind = (typeof engineKinds)[number]
