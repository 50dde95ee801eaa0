import 'dayjs/locale/zh-cn.js'

/** The language of a calendar, and the order of month and year in its headings. */
export function calendarLook(language: string) {
  return language === 'zh'
    ? { locale: 'zh-cn', monthLabelFormat: 'YYYY年M月', yearLabelFormat: 'YYYY年' }
    : { locale: 'en' }
}
