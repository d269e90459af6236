// What is said of a plan that may not be the cheapest, and where a search has found none.
export const leastUnknown =
  'Cheapest by what each need costs alone: the search for the least cost of all was cut short.'

export const nothingFound =
  'No way was found before the search was cut short, so there may be one: give the planner a larger "budget", or tools that depend less on each other.'
