// What is said of a plan that may not be the cheapest.
export const leastUnknown =
  'Cheapest by what each need costs alone: the search for the least cost of all was cut short.'
