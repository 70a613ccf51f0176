/* SPDX-License-Identifier: GPL-3.0-or-later */
document.addEventListener("DOMContentLoaded", function () {
	document.querySelectorAll(".math[data-display]").forEach(function (place) {
		katex.render(place.textContent, place, {
			displayMode: place.dataset.display === "yes",
			throwOnError: false,
			trust: false,
		});
	});
});
