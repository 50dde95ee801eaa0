export const portMax = 65_535
