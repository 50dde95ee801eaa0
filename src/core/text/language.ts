/** The languages of the console, of emails and of alerts. */
export const languages = ['en', 'zh'] as const
export type Language = (typeof languages)[number]
