import 'dayjs/locale/zh-cn.js'

/** The language of a calendar and the order of year and month in its title. */
export function calendarFormat(language: string) {
  return language === 'zh'
    ? { locale: 'zh-cn', monthLabelFormat: 'YYYY年M月', yearLabelFormat: 'YYYY年' }
    : { locale: 'en' }
}
