// Where the pointer is, in the pixels of an element. A large screen shows the page magnified, and what browsers tell of a pointer and
// of boxes on the screen is magnified, too.

/** Returns the place of the pointer from the left upper corner of an element, in the element's own CSS pixels. */
export function within(event: PointerEvent, element: Element): { x: number; y: number } {
  const box = element.getBoundingClientRect();
  const zoom = magnified(element);
  return { x: (event.clientX - box.left) / zoom, y: (event.clientY - box.top) / zoom };
}

/** Returns how much larger an element is shown than its CSS pixels say. */
export const magnified = (element: Element): number => element.currentCSSZoom ?? 1;
