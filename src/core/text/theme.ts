/** The appearance of the console; auto: the setting of the browser. */
export const themes = ['light', 'dark', 'auto'] as const
