"use strict";
// What is under the pointer in a text is marked among its sources too, and the other way round.
document.querySelectorAll(".scripted").forEach((each) => { each.hidden = false; });
const mark = (event, on) => {
  const at = event.target.closest("[data-p]");
  if (at) document.querySelectorAll(`[data-p="${at.dataset.p}"]`).forEach((each) => each.classList.toggle("here", on));
};
document.addEventListener("pointerover", (event) => mark(event, true));
document.addEventListener("pointerout", (event) => mark(event, false));
document.addEventListener("focusin", (event) => mark(event, true));
document.addEventListener("focusout", (event) => mark(event, false));
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches("blockquote[data-p]")) event.target.click();
});
document.addEventListener("click", (event) => {
  if (event.target.matches(".print")) {
    const sheet = event.target.closest("details");
    sheet.classList.add("sheet");
    document.body.classList.add("sheet");
    window.print();
    sheet.classList.remove("sheet");
    document.body.classList.remove("sheet");
  }
  const passage = event.target.closest("blockquote[data-p]");
  if (passage) document.querySelector(`mark[data-p="${passage.dataset.p}"]`)?.scrollIntoView({block: "center"});
});
